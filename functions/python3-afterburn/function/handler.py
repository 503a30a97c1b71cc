def handle(event):
    """Answers one request. See ../README.md for what `event` has and what may be returned."""
    return b"You said: " + event.body + b". That was so fast!"
