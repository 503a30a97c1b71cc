"""The laboratory of run.py: starting servers, accounting their CPU, driving load, counting, comparing, printing."""
