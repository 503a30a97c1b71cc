"""For gunicorn."""

from http import HTTPStatus

from replies import has_length, reply


def app(environ, start_response):
    body = environ["wsgi.input"].read()
    status, fields, parts = reply(environ["REQUEST_METHOD"], environ["PATH_INFO"], body)
    fields["X-Peer"] = environ.get("REMOTE_PORT", "")
    if has_length(parts):
        fields["Content-Length"] = str(len(parts[0]))
    start_response(f"{status} {HTTPStatus(status).phrase}", list(fields.items()))
    return parts
