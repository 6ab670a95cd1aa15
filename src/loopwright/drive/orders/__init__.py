"""Orders to a loop: of a session, of a person, from outside."""
