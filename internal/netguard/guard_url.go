package netguard

import (
	"fmt"
	"net/url"
)

// ParseURL parses a URL as the function [ParseURL] does, and also accepts the pairs of
// Reach.
func (g *Guard) ParseURL(raw string) (*URL, error) {
	u, addr, err := parseURL(raw)
	if err != nil {
		return nil, err
	}
	if g.Reaches(u) {
		return u, nil
	}
	if err := judge(u.Host, addr); err != nil {
		return nil, err
	}
	return u, nil
}

// Redirect parses the Location of a response to from. An error is a [*RefusalError]: a
// redirect from https to http, or an error of ParseURL. Redirect calls neither Check nor
// Follow.
func (g *Guard) Redirect(from *URL, location string) (*URL, error) {
	base, err := url.Parse(from.String())
	if err != nil {
		return nil, malformedError(from.String(), parseProblem(err))
	}
	to, err := base.Parse(location)
	if err != nil {
		return nil, malformedError(location, parseProblem(err))
	}
	next, err := g.ParseURL(to.String())
	if err != nil {
		return nil, err
	}
	if from.Scheme == "https" && next.Scheme == "http" {
		return nil, &RefusalError{Target: next.String(), Kind: ErrRedirect,
			Reason: fmt.Sprintf("%s redirects to it from https to http; ask for it directly if that is meant", from.Host)}
	}
	return next, nil
}
