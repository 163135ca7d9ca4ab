package shell

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// DefaultWithheld returns the names of the variables that a command does not inherit from
// the program that runs it, because they usually hold secrets: API keys, tokens, passwords
// and the credentials of clouds. The caller may change the result.
//
// Variables that hold a secret beside something else, such as the address of a database
// with its password, are not among them, nor is the socket of an agent for SSH keys.
func DefaultWithheld() []string {
	return []string{
		"API_KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSPHRASE",
		"*_API_KEY", "*_APIKEY", "*_TOKEN", "*_SECRET", "*_SECRETS", "*_PAT",
		"*_SECRET_KEY", "*_ACCESS_KEY", "*_ACCESS_KEY_ID", "*_ACCOUNT_KEY", "*_PRIVATE_KEY", "*_SIGNING_KEY", "*_ENCRYPTION_KEY", "*_MASTER_KEY",
		"*_PASSWORD", "*_PASSWD", "*_PASSPHRASE", "*_CREDENTIAL", "*_CREDENTIALS", "*_CONNECTION_STRING",
		"PGPASSWORD", "MYSQL_PWD", "DOCKER_AUTH_CONFIG", "NPM_CONFIG__AUTH",
		"AWS_CONTAINER_CREDENTIALS_*", "AWS_CONTAINER_AUTHORIZATION_*", "AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_STORAGE_KEY",
		"GOOGLE_CREDENTIALS_*", "AZURE_CLIENT_CERTIFICATE_*", "ACTIONS_ID_TOKEN_REQUEST_*",
	}
}

// isWithheld reports whether a variable is withheld. Of the patterns that match its name the
// last counts; one that begins with ! lets the variable pass. Letter case does not count:
// npm_config_token is as secret as NPM_CONFIG_TOKEN.
func isWithheld(patterns []string, name string) bool { return matchesLast(patterns, name) }

// matchesLast reports whether the last of the patterns that match a name does not begin
// with !.
func matchesLast(patterns []string, name string) (matches bool) {
	name = strings.ToUpper(name)
	for _, p := range patterns {
		p, not := strings.CutPrefix(strings.ToUpper(p), "!")
		if pattern.Name(p, name) {
			matches = !not
		}
	}
	return matches
}

// withheldNote tells the model which variables of environ that a line names are withheld. It
// is empty if none is.
func withheldNote(line string, patterns, environ []string) string {
	var names []string
	for _, pair := range environ {
		if name := nameOf(pair); namesVariable(line, name) && isWithheld(patterns, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return "Commands do not get " + strings.Join(slices.Compact(names), ", ") + ": what may be a secret of the host is withheld."
}

// namesVariable reports whether a command line contains the name of a variable as a word.
func namesVariable(line, name string) bool {
	for {
		at := strings.Index(line, name)
		if at < 0 || name == "" {
			return false
		}
		after := line[at+len(name):]
		if (at == 0 || !isNameByte(line[at-1])) && (after == "" || !isNameByte(after[0])) {
			return true
		}
		line = line[at+1:]
	}
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
