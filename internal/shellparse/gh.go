package shellparse

// ghUse is the use of GitHub's command: all it does, it does on a server.
func ghUse([]arg) use { return unknown("gh talks to a server") }
