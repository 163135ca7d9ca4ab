package dialect

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// integral reports whether a number has no fraction, in any spelling.
func integral(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	f, err := n.Float64()
	return err == nil && f == math.Trunc(f)
}

// count returns a number of items, characters or properties. ok is false if the number is
// negative, too large or has a fraction.
func count(v any) (n int64, ok bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return n, n >= 0
	}
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) || f < 0 || f > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// less compares two numbers. The result is exact if both are integers of 64 bits.
func less(a, b any) bool {
	x, _ := a.(json.Number)
	y, _ := b.(json.Number)
	i, errI := strconv.ParseInt(string(x), 10, 64)
	j, errJ := strconv.ParseInt(string(y), 10, 64)
	if errI == nil && errJ == nil {
		return i < j
	}
	f, _ := x.Float64()
	g, _ := y.Float64()
	return f < g
}

// next returns the next integer after or before an integer, for bounds that exclude it.
func next(v any, step int64) (json.Number, bool) {
	number, _ := v.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || n > 1<<53 || n < -1<<53 {
		return "", false
	}
	return json.Number(strconv.FormatInt(n+step, 10)), true
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }
