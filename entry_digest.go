package pegboard

import (
	"encoding/json"
	"fmt"
)

// definitionDigest identifies the definition of a tool on which an answer relies: its name, its input schema,
// and of an external tool all that its source says.
func (e *entry) definitionDigest() string {
	parts := []string{e.info.Name, e.info.Origin.Source, e.info.Origin.Tool, string(e.tool.input().schema.Bytes()), fmt.Sprint(e.info.RequiresUser)}
	if e.info.Origin.External() && e.decl != nil {
		parts = append(parts, fingerprintOf(e.decl, &e.info))
	}
	text, _ := json.Marshal(parts) // strings have no error
	return digestOf(text)
}
