"""Rules for what decides how tests run: settings, scripts, runner files, packages."""
