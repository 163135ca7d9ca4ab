package serve

import "encoding/json"

// A message is what decides who serves a request.
type message struct {
	Method string `json:"method"`
	Params struct {
		State string `json:"requestState"`
		Meta  struct {
			Protocol string `json:"io.modelcontextprotocol/protocolVersion"`
			Client   struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	} `json:"params"`
}

// messageOf reads as much of a message as can be read. The SDK refuses a message that is
// wrong.
func messageOf(body []byte) *message {
	m := new(message)
	_ = json.Unmarshal(body, m)
	return m
}

func (m *message) protocol() string { return m.Params.Meta.Protocol }

func (m *message) client() Client {
	c := m.Params.Meta
	return Client{Name: c.Client.Name, Version: c.Client.Version, Protocol: c.Protocol}
}
