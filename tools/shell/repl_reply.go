package shell

import (
	"encoding/json"
)

// A reply is one message of a driver.
type reply struct {
	Begun int  `json:"begun"` // the number of a code that has begun
	Done  int  `json:"done"`  // the number of a code that has ended
	Error bool `json:"error"` // the code ended with an exception, which was printed

	Call  int             `json:"call"` // the number of a request to call a tool
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// valid reports whether exactly one of Begun, Done and Call is set.
func (r reply) valid() bool {
	kinds := 0
	for _, number := range []int{r.Begun, r.Done, r.Call} {
		if number < 0 {
			return false
		}
		kinds += min(number, 1)
	}
	return kinds == 1
}
