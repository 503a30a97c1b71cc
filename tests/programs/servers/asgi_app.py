"""For uvicorn."""

import asyncio

from replies import reply


async def read_body(receive):
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def app(scope, receive, send):
    if scope["type"] != "http":
        raise NotImplementedError  # what uvicorn takes for "no lifespan"
    body = await read_body(receive)
    loop = asyncio.get_running_loop()
    status, fields, parts = await loop.run_in_executor(None, reply, scope["method"], scope["path"], body)
    fields["X-Peer"] = str(scope["client"][1])
    if len(parts) == 1:
        fields["Content-Length"] = str(len(parts[0]))
    headers = [(name.encode(), value.encode()) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    for part in parts:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
