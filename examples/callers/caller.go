// Asks Guard about one request, and prints what to do with it: go run caller.go URL IP USER-AGENT
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	timeout        = 400 * time.Millisecond // for connecting, waiting and reading together
	maxAnswerBytes = 1 << 20
)

type question struct {
	URL     string            `json:"url"`
	IP      string            `json:"ip"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
}

type answer struct {
	Success      bool    `json:"success"`
	Decision     string  `json:"decision"`
	StatusCode   int     `json:"status_code"`
	ResponseHTML *string `json:"response_html"`
}

var client = &http.Client{
	Timeout: timeout,
	// A redirect is no answer, and its target must not get the key.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ask returns the status and the body of the answer, or an error when no answer comes in time.
func ask(about question) (int, []byte, error) {
	body, err := json.Marshal(about)
	if err != nil {
		return 0, nil, err
	}
	url := os.Getenv("GUARD_VALIDATE_URL")
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("x-api-key", os.Getenv("GUARD_SECRET_KEY"))
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	return response.StatusCode, text, err
}

func whatToDo(about question) string {
	status, body, err := ask(about)
	if status >= 400 && status < 500 {
		return "decision=none action=answer status=403" // otherwise visitors who cause a 4xx pass
	}
	var got answer
	if err != nil || status != http.StatusOK || json.Unmarshal(body, &got) != nil || !got.Success {
		return "decision=none action=pass"
	}
	switch {
	case got.Decision == "block" || got.Decision == "redirect":
		return answerWith(got, 403)
	case got.Decision != "allow" && got.Decision != "not_matched":
		return "decision=none action=pass"
	case got.ResponseHTML != nil:
		return answerWith(got, 200)
	default:
		return fmt.Sprintf("decision=%s action=pass", got.Decision)
	}
}

func answerWith(got answer, fallback int) string {
	status := got.StatusCode
	if status == 0 {
		status = fallback
	}
	return fmt.Sprintf("decision=%s action=answer status=%d", got.Decision, status)
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: caller URL IP USER-AGENT")
		os.Exit(2)
	}
	headers := map[string]string{"user-agent": os.Args[3]}
	fmt.Println(whatToDo(question{URL: os.Args[1], IP: os.Args[2], Method: "GET", Headers: headers}))
}
