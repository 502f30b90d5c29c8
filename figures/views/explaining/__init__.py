"""Pictures of what predictions rest on."""
