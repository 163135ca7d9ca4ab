package pattern

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// URL reports whether an address matches a pattern in which a star stands for any run of
// characters, in the scheme and the host without a slash. The pattern "*" matches every
// address. The user and the fragment are not compared, and a default port, the dot at the end
// of a host and needless escapes make no difference. The path is compared without the segments
// "." and "..", so that the address is of the place that the pattern names.
func URL(pattern string, u *url.URL) bool {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return pattern == "*"
	}
	host, place, slash := strings.Cut(rest, "/")
	if !Name(strings.ToLower(scheme), strings.ToLower(u.Scheme)) || !Name(urlHost(host, u.Scheme), urlHost(u.Host, u.Scheme)) {
		return false
	}
	return slices.ContainsFunc(urlPlaces(u), func(at string) bool {
		return Name(place, at) || !slash && (at == "" || strings.HasSuffix(host, "*"))
	})
}

// urlPlaces returns the path and the query of an address without the first slash: without
// needless escapes, and as it is spelled if it has no "." and "..".
func urlPlaces(u *url.URL) []string {
	clean := strings.TrimPrefix(path.Clean("/"+u.Path), "/")
	if strings.HasSuffix(u.Path, "/") && clean != "" {
		clean += "/"
	}
	all := []string{(&url.URL{Path: "/" + clean}).EscapedPath()}
	if "/"+clean == u.Path {
		all = append(all, u.EscapedPath())
	}
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "/")
		if u.RawQuery != "" {
			all[i] += "?" + u.RawQuery
		}
	}
	return all
}

// urlHost returns a host in lower case, without the default port of a scheme and without the
// dot at the end of the name.
func urlHost(host, scheme string) string {
	port := ":80"
	if strings.EqualFold(scheme, "https") {
		port = ":443"
	}
	host = strings.TrimSuffix(strings.ToLower(host), port)
	return strings.TrimSuffix(strings.Replace(host, ".:", ":", 1), ".")
}
