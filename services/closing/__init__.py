"""The end of an account: players close it, and operators erase what is personal later."""
