<?php
// Answers with what CGI told it, then with the body. /status/<code> has that status, /redirect redirects.
$path = $_SERVER['PATH_INFO'];
if (preg_match('#^/status/(\d+)$#', $path, $found)) http_response_code((int)$found[1]);
if ($path === '/redirect') header('Location: http://example.com/elsewhere');
if ($path === '/large') {
  header('Content-Type: application/octet-stream');
  for ($i = 0; $i < 64; ++$i) echo str_repeat(chr(65 + $i % 26), 16384);
  exit;
}
header('Content-Type: text/x-test; charset=utf-8');
header('X-Made: by php');
header('Set-Cookie: a=1');
header('Set-Cookie: b=2', false);
foreach (['REQUEST_METHOD', 'PATH_INFO', 'QUERY_STRING', 'REQUEST_URI', 'SERVER_PROTOCOL', 'SERVER_PORT', 'REMOTE_ADDR',
          'CONTENT_TYPE', 'CONTENT_LENGTH', 'HTTP_X_TWICE', 'HTTP_AUTHORIZATION', 'HTTP_PROXY'] as $name) {
  echo $name, '=', $_SERVER[$name] ?? '(none)', "\n";
}
echo 'query x=', $_GET['x'] ?? '(none)', "\n";
echo 'form y=', $_POST['y'] ?? '(none)', "\n";
echo 'cookie z=', $_COOKIE['z'] ?? '(none)', "\n";
echo file_get_contents('php://input');
