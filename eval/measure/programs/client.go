package main

import (
	"net/http"
	"os"
)

// One GET with net/http. Argument: URL.
func main() {
	if _, err := http.Get(os.Args[1]); err != nil {
		panic(err)
	}
}
