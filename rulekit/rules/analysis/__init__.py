"""What is worked out about a finished rule: counts, differences, shorter forms, promises."""
