"""Several processes: signals between them over Redis, and what each looks up every two seconds."""
