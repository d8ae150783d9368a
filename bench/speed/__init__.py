"""The measurements of `make bench`: rows are ratios to a ceiling, curves are costs at growing sizes."""
