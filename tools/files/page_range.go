package files

import (
	"fmt"
	"strconv"
	"strings"
)

// A pageRange is the value of the field pages.
type pageRange struct {
	first int
	last  int // 0: the last page of the document
}

// parsePages parses "3", "1-5" or "10-". The text of the error is for the model.
func parsePages(s string) (pageRange, error) {
	from, to, dash := strings.Cut(strings.TrimSpace(s), "-")
	r := pageRange{}
	var ok bool
	if r.first, ok = pageNumber(from); ok {
		switch {
		case !dash:
			r.last = r.first
			return r, nil
		case strings.TrimSpace(to) == "":
			return r, nil
		}
		if r.last, ok = pageNumber(to); ok && r.first <= r.last {
			return r, nil
		}
	}
	return pageRange{}, fmt.Errorf(`pages is %q; send one range of pages, counted from 1, such as "3", "1-5" or "10-"`, s)
}

// pageNumber parses a positive number.
func pageNumber(s string) (int, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 31)
	return int(n), err == nil && n > 0
}
