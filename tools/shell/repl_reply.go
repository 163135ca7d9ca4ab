package shell

import (
	"encoding/json"
)

// reply is what a driver sends.
type reply struct {
	Begun int  `json:"begun"` // the code of that number begins to run
	Done  int  `json:"done"`  // and has ended
	Error bool `json:"error"` // by an exception, which was printed

	Call  int             `json:"call"` // a request to call a tool, and its number
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// valid reports whether the reply is one of three things.
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
