package main

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/sjson"
)

// A member is part of a request that is sent byte for byte.
type member struct {
	name  string
	value json.RawMessage
}

// encode returns the body of a request: the SDK's own params, and beside them the
// members, unchanged. Encoding those with encoding/json, as the SDKs would, keeps
// their meaning but not their bytes: it escapes <, > and & and removes spaces.
func encode(params any, members ...member) ([]byte, error) {
	body, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return splice(body, members...)
}

// splice sets members of the JSON object in body.
func splice(body []byte, members ...member) (_ []byte, err error) {
	for _, m := range members {
		if body, err = sjson.SetRawBytes(body, m.name, m.value); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// list returns a JSON array of values that are encoded already.
func list(values []json.RawMessage) json.RawMessage {
	return append(append(json.RawMessage("["), bytes.Join(rawBytes(values), []byte(","))...), ']')
}

func rawBytes(values []json.RawMessage) (all [][]byte) {
	for _, v := range values {
		all = append(all, v)
	}
	return all
}
