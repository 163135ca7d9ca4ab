package inspect

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A guard decides who may see the page. Nothing that it refuses is told more than that.
type guard struct {
	hosts  []string
	token  string
	cross  http.CrossOriginProtection
	cookie string // its name; random, since a browser sends cookies to all ports of a host

	mu     lock.Mutex
	secret string // the value of the cookie; another one after each logout
}

func newGuard(token string, hosts []string) *guard {
	return &guard{hosts: hosts, token: token, cookie: "pegboard-" + rand.Text()[:8], secret: rand.Text()}
}

// securityPolicy allows the page's own style sheet and script and nothing else: no code in the
// page, no other site, no frame around it.
const securityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", securityPolicy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
}

// admits reports whether r may be answered. If not, it has answered.
func (g *guard) admits(w http.ResponseWriter, r *http.Request) bool {
	setHeaders(w.Header())
	if why := g.refuses(r); why != "" {
		refuse(w, http.StatusForbidden, why)
		return false
	}
	if g.token == "" || g.knows(r) {
		return true
	}
	if g.logsIn(w, r) {
		return false
	}
	refuse(w, http.StatusUnauthorized, "The address of this page needs its token: open the one that the program has printed.")
	return false
}

// refuses returns why a request comes from where none should, or "".
func (g *guard) refuses(r *http.Request) string {
	if !g.isOurs(r.Host) {
		return "This page answers to the names of this machine only."
	}
	if g.cross.Check(r) != nil {
		return "This request comes from another site."
	}
	site, mode, dest := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	switch {
	case dest == "iframe" || dest == "frame" || dest == "embed" || dest == "object":
		return "This page is not shown in a frame."
	case (site == "cross-site" || site == "same-site") && mode != "navigate":
		return "This request comes from another site."
	}
	return ""
}

// isOurs reports whether host, of a request, is a loopback name or one of the further names.
// The owner of any other name can make it lead here.
func (g *guard) isOurs(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if addr, err := netip.ParseAddr(name); err == nil && addr.Unmap().IsLoopback() {
		return true
	}
	if lower := strings.ToLower(name); lower == "localhost" || strings.HasSuffix(lower, ".localhost") {
		return true
	}
	for _, h := range g.hosts {
		if h != "" && (strings.EqualFold(h, name) || strings.EqualFold(h, host)) {
			return true
		}
	}
	return false
}

// knows reports whether the browser has logged in.
func (g *guard) knows(r *http.Request) bool {
	g.mu.Lock()
	secret := g.secret
	g.mu.Unlock()
	for _, c := range r.CookiesNamed(g.cookie) {
		if same(c.Value, secret) {
			return true
		}
	}
	return false
}

// logsIn answers a request that has the token in its query: with the cookie, and the same
// address without the token.
func (g *guard) logsIn(w http.ResponseWriter, r *http.Request) bool {
	query := r.URL.Query()
	if r.Method != http.MethodGet || !same(query.Get("token"), g.token) {
		return false
	}
	if addsSlash(w, r) { // a cookie that was set here would be for the folder above
		return true
	}
	g.mu.Lock()
	secret := g.secret
	g.mu.Unlock()
	// Without a path, the cookie is for the folder of the address that the browser has asked for.
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: secret, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	query.Del("token")
	redirect(w, pathOf(r), query.Encode())
	return true
}

// logOut ends the logins of all browsers.
func (g *guard) logOut(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.secret = rand.Text()
	g.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: g.cookie, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil, MaxAge: -1})
}

// same compares in a time that tells nothing of the secret, also not its length.
func same(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// redirect answers with 303 and a relative address: the page does not know under which path
// its host or a proxy has mounted it.
func redirect(w http.ResponseWriter, path, query string) {
	location := "./" + path
	if query != "" {
		location += "?" + query
	}
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}

// addsSlash redirects a request for the folder of the page without the slash behind it, from
// where relative addresses would lead elsewhere.
func addsSlash(w http.ResponseWriter, r *http.Request) bool {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	last := path[strings.LastIndexByte(path, '/')+1:]
	if r.URL.Path != "" || last == "" {
		return false
	}
	redirect(w, last+"/", r.URL.RawQuery)
	return true
}

// pathOf returns the path of r within the page, without slashes around it.
func pathOf(r *http.Request) string { return strings.Trim(r.URL.Path, "/") }
