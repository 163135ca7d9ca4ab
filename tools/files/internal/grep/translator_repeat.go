package grep

import (
	"strconv"
	"strings"
)

// repeat translates a repetition, which is written as op and has size bytes.
func (t *translator) repeat(op string, size int) error {
	switch {
	case t.lastItem == atom:
		t.emit(size, op, repeated)
	case t.lastItem == repeated && op == "?":
		t.emit(size, op, lazyRepeated)
	case t.lastItem == noItem:
		return t.syntaxError(t.at+size, "there is nothing before it to repeat; write \\"+op+" for the character itself")
	default:
		return t.syntaxError(t.at+size, "it repeats a repetition; put what comes before into a group, as in (?:a+)*")
	}
	return nil
}

// countedRepeat translates a repetition in braces. Braces that cannot be a repetition
// stand for themselves; ripgrep refuses them.
func (t *translator) countedRepeat() error {
	body, _, closed := strings.Cut(t.rest()[1:], "}")
	low, high, two := strings.Cut(body, ",")
	size := len(body) + 2
	if closed && two && low == "" && isNumber(high) {
		return t.syntaxError(t.at+size, "the smaller number is missing; write {0,"+high+"}")
	}
	if !closed || !isNumber(low) || high != "" && !isNumber(high) {
		t.emit(1, `\{`, atom)
		return nil
	}
	minimum, err := strconv.Atoi(low)
	maximum := minimum
	if err == nil && high != "" {
		maximum, err = strconv.Atoi(high)
	}
	if err != nil || max(minimum, maximum) > maxRepeat {
		return t.syntaxError(t.at+size, "more than 1000 repetitions; use a smaller number, or * or +")
	}
	if maximum < minimum {
		return t.syntaxError(t.at+size, "the first number must not be the greater one")
	}
	return t.repeat(t.rest()[:size], size)
}

// maxRepeat is the limit of Go's regular expressions.
const maxRepeat = 1000

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
