<?php
// Asks Guard about one request, and prints what to do with it: php caller.php URL IP USER-AGENT
declare(strict_types=1);

const TIMEOUT_S = 0.4;

/** Status of the answer, and the body of a 200; null when there is none in time. */
function ask(array $question): ?array
{
    $end = microtime(true) + TIMEOUT_S;
    $http = [
        'method' => 'POST',
        'header' => ['Content-Type: application/json', 'x-api-key: ' . getenv('GUARD_SECRET_KEY')],
        'content' => json_encode($question, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE),
        'timeout' => TIMEOUT_S,
        'follow_location' => 0,
        // Without this a 4xx would look like no answer, and pass.
        'ignore_errors' => true,
    ];
    $stream = @fopen(getenv('GUARD_VALIDATE_URL'), 'r', false, stream_context_create(['http' => $http]));
    if ($stream === false) {
        return null;
    }
    $status = (int) (explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1] ?? 0);
    $body = '';
    while ($status === 200 && !feof($stream)) {
        // A timeout of a stream is for one read, so each gets what is left of the whole.
        $left = (int) (($end - microtime(true)) * 1e6);
        if ($left <= 0) {
            return null;
        }
        stream_set_timeout($stream, 0, $left);
        $body .= fread($stream, 65536);
    }
    return [$status, $body];
}

function what_to_do(array $question): string
{
    [$status, $body] = ask($question) ?? [0, ''];
    if ($status >= 400 && $status < 500) {
        return 'decision=none action=answer status=403'; // to pass would be a bypass
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
