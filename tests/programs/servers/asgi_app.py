"""For uvicorn. Echoes what comes over a WebSocket."""

import asyncio

from replies import has_length, reply


async def read_body(receive):
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def echo_messages(receive, send):
    while True:
        message = await receive()
        if message["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
        elif message["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": "you said " + message["text"]})
        else:
            return


async def app(scope, receive, send):
    if scope["type"] == "websocket":
        return await echo_messages(receive, send)
    if scope["type"] != "http":
        raise NotImplementedError  # what uvicorn takes for "no lifespan"
    body = await read_body(receive)
    loop = asyncio.get_running_loop()
    status, fields, parts = await loop.run_in_executor(None, reply, scope["method"], scope["path"], body)
    fields["X-Peer"] = str(scope["client"][1])
    if has_length(parts):
        fields["Content-Length"] = str(len(parts[0]))
    headers = [(name.encode(), value.encode()) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    rest = iter(parts)
    while (part := await loop.run_in_executor(None, next, rest, None)) is not None:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
