"""Tests in a real browser: Chromium, driven by Playwright."""
