"""Rules for changed product code that makes unchanged tests and checks say less."""
