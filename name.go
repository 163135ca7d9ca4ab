package pegboard

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// checkName accepts any text that can be shown on one line. The wires check what a
// provider accepts.
func checkName(name string) error {
	if strings.TrimSpace(name) == "" {
		return errors.New("is empty")
	}
	if !validText(name) {
		return fmt.Errorf("%q holds a control character or is not UTF-8", name)
	}
	return nil
}

func validText(s string) bool {
	return strings.ToValidUTF8(s, "") == s && strings.IndexFunc(s, unicode.IsControl) < 0
}
