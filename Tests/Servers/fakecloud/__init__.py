"""The parts of fake-cloud.py."""
