package gemini_test

import "encoding/json"

// only returns the only message of a list, or nil if there is none.
func only(list []json.RawMessage) json.RawMessage {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	panic("this API has one message for a turn")
}
