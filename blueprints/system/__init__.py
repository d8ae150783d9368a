"""Running the platform: health, metrics, documents, pictures, schema."""
