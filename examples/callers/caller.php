<?php
// Asks Guard about one request, and prints what to do with it: php caller.php URL IP USER-AGENT
declare(strict_types=1);

const TIMEOUT_S = 0.4;

/** Returns the status of the answer, and the body of a 200. Null when no answer comes in time. */
function ask(array $question): ?array
{
    $deadline = microtime(true) + TIMEOUT_S;
    $http = [
        'method' => 'POST',
        'header' => ['Content-Type: application/json', 'x-api-key: ' . getenv('GUARD_SECRET_KEY')],
        'content' => json_encode($question, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE),
        'timeout' => TIMEOUT_S,
        'follow_location' => 0,
        // Otherwise a 4xx looks like no answer, and the request passes.
        'ignore_errors' => true,
    ];
    $stream = @fopen(getenv('GUARD_VALIDATE_URL'), 'r', false, stream_context_create(['http' => $http]));
    if ($stream === false) {
        return null;
    }
    $status = (int) (explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1] ?? 0);
    $body = '';
    while ($status === 200 && !feof($stream)) {
        // The timeout applies to one read, so each read gets the time that is left.
        $micros_left = (int) (($deadline - microtime(true)) * 1e6);
        if ($micros_left <= 0) {
            return null;
        }
        stream_set_timeout($stream, 0, $micros_left);
        $body .= fread($stream, 65536);
    }
    return [$status, $body];
}

function what_to_do(array $question): string
{
    [$status, $body] = ask($question) ?? [0, ''];
    if ($status >= 400 && $status < 500) {
        return 'decision=none action=answer status=403'; // otherwise visitors who cause a 4xx pass
    }
    $answer = $status === 200 ? json_decode($body, true) : null;
    if (!is_array($answer) || ($answer['success'] ?? null) !== true) {
        return 'decision=none action=pass';
    }
    $decision = $answer['decision'] ?? '';
    $has_body = isset($answer['response_html']);
    return match (true) {
        in_array($decision, ['block', 'redirect'], true) =>
            "decision=$decision action=answer status=" . ($answer['status_code'] ?? 403),
        !in_array($decision, ['allow', 'not_matched'], true) => 'decision=none action=pass',
        $has_body => "decision=$decision action=answer status=" . ($answer['status_code'] ?? 200),
        default => "decision=$decision action=pass",
    };
}

[, $url, $ip, $agent] = $argv;
$headers = ['user-agent' => $agent];
echo what_to_do(['url' => $url, 'ip' => $ip, 'method' => 'GET', 'headers' => $headers]), "\n";
