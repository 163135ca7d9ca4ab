package web

import (
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// DefaultPreapproved returns sites of documentation: of languages, libraries, standards and
// programs, where a GET changes nothing. Not only the owner of a site writes its pages: those of
// pkg.go.dev, docs.rs and hexdocs.pm are the words of the authors of packages.
func DefaultPreapproved() []string {
	return []string{
		// Languages and their libraries.
		"go.dev", "pkg.go.dev", "docs.python.org", "peps.python.org", "doc.rust-lang.org", "docs.rs", "nodejs.org/api", "nodejs.org/docs",
		"docs.oracle.com/javase", "docs.oracle.com/en/java", "kotlinlang.org/docs", "docs.swift.org", "docs.ruby-lang.org", "ruby-doc.org",
		"www.php.net/manual", "en.cppreference.com", "ziglang.org/documentation", "hexdocs.pm", "www.erlang.org/doc", "hackage.haskell.org",
		"docs.julialang.org", "www.lua.org/manual", "docs.scala-lang.org", "clojure.org", "dart.dev", "www.typescriptlang.org/docs",
		"docs.deno.com", "bun.sh/docs", "perldoc.perl.org", "ocaml.org/manual",
		// The web and its standards.
		"developer.mozilla.org", "html.spec.whatwg.org", "www.w3.org/TR", "www.rfc-editor.org", "datatracker.ietf.org/doc", "json-schema.org", "spec.openapis.org",
		// Frameworks.
		"react.dev", "vuejs.org", "angular.dev", "svelte.dev/docs", "nextjs.org/docs", "vite.dev", "tailwindcss.com/docs",
		"docs.djangoproject.com", "flask.palletsprojects.com", "fastapi.tiangolo.com", "guides.rubyonrails.org", "api.rubyonrails.org", "docs.spring.io",
		"laravel.com/docs", "expressjs.com", "numpy.org/doc", "pandas.pydata.org/docs", "docs.scipy.org", "scikit-learn.org/stable", "pytorch.org/docs", "docs.pytest.org",
		// Programs and systems.
		"git-scm.com/docs", "www.postgresql.org/docs", "sqlite.org", "dev.mysql.com/doc", "redis.io/docs", "www.mongodb.com/docs",
		"docs.docker.com", "kubernetes.io/docs", "helm.sh/docs", "developer.hashicorp.com", "nginx.org/en/docs", "httpd.apache.org/docs",
		"www.gnu.org/software", "man7.org/linux/man-pages", "docs.kernel.org", "docs.github.com", "docs.gitlab.com", "docs.npmjs.com", "docs.aws.amazon.com",
		"cloud.google.com/docs", "learn.microsoft.com", "developer.apple.com/documentation", "developer.android.com", "modelcontextprotocol.io", "protobuf.dev", "grpc.io/docs",
	}
}

// preapproved are beginnings of paths by host. An empty beginning is every path.
type preapproved map[string][]string

// newPreapproved reads a list of hosts and of hosts with paths. An entry whose host cannot be
// mapped, or that has a pattern in it, approves nothing.
func newPreapproved(entries []string) preapproved {
	p := preapproved{}
	for _, entry := range entries {
		host, path, _ := strings.Cut(entry, "/")
		name, err := netguard.MapPattern(host)
		if err != nil || strings.Contains(entry, "*") {
			continue
		}
		p[name] = append(p[name], strings.Trim(path, "/"))
	}
	return p
}

// match reports whether an address is approved. One with another port than that of https is
// not.
func (p preapproved) match(u *netguard.URL) bool {
	if u.Scheme != "https" || u.Port != 443 {
		return false
	}
	path := strings.TrimPrefix(u.Path, "/")
	for _, begin := range p[u.Host] {
		if begin == "" {
			return true
		}
		rest, found := strings.CutPrefix(path, begin)
		if found && (rest == "" || rest[0] == '/') && !mayClimb(rest) {
			return true
		}
	}
	return false
}

// mayClimb reports whether a server could read the escaped path as one that leads upward.
func mayClimb(path string) bool {
	path = strings.ToLower(path)
	for _, code := range []string{"%2e", "%2f", "%5c", "%25", "\\", "//", ";"} {
		if strings.Contains(path, code) {
			return true
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
