"""The parts of fake-services.py."""
