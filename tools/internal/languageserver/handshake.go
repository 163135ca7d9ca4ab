package languageserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

type workspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// initializeParams are the parameters of initialize.
type initializeParams struct {
	ProcessID    int               `json:"processId"`
	ClientInfo   map[string]string `json:"clientInfo"`
	RootURI      string            `json:"rootUri"`
	Folders      []workspaceFolder `json:"workspaceFolders"`
	Options      json.RawMessage   `json:"initializationOptions,omitempty"`
	Capabilities json.RawMessage   `json:"capabilities"`
}

// capabilities are those of this client. A server that counts characters
// needs no conversion, so these come first among the encodings.
const capabilities = `{
	"general": {"positionEncodings": ["utf-32", "utf-8", "utf-16"]},
	"workspace": {
		"applyEdit": false,
		"configuration": true,
		"workspaceFolders": true,
		"didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
		"symbol": {}
	},
	"textDocument": {
		"synchronization": {"didSave": true},
		"definition": {"linkSupport": true},
		"implementation": {"linkSupport": true},
		"references": {},
		"hover": {"contentFormat": ["markdown", "plaintext"]},
		"documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
		"callHierarchy": {},
		"publishDiagnostics": {"versionSupport": true}
	},
	"window": {"workDoneProgress": true}
}`

// abilities are the capabilities of a server that matter here.
type abilities struct {
	Encoding        encoding        `json:"positionEncoding"`
	Sync            json.RawMessage `json:"textDocumentSync"`
	Definition      offer           `json:"definitionProvider"`
	References      offer           `json:"referencesProvider"`
	Hover           offer           `json:"hoverProvider"`
	DocumentSymbol  offer           `json:"documentSymbolProvider"`
	WorkspaceSymbol offer           `json:"workspaceSymbolProvider"`
	Implementation  offer           `json:"implementationProvider"`
	CallHierarchy   offer           `json:"callHierarchyProvider"`

	saves bool // the server wants to know of saved files
}

// An offer is a boolean, or options, which mean true.
type offer bool

// UnmarshalJSON implements json.Unmarshaler.
func (o *offer) UnmarshalJSON(data []byte) error {
	*o = string(data) != "false" && string(data) != "null"
	return nil
}

// handshake introduces the two sides to each other.
func (n *connection) handshake(ctx context.Context) error {
	var result struct {
		Capabilities abilities `json:"capabilities"`
	}
	err := n.call(ctx, "initialize", initializeParams{
		ProcessID: os.Getpid(), ClientInfo: map[string]string{"name": "pegboard"},
		RootURI: fileURI(n.root), Folders: []workspaceFolder{n.folder()},
		Options: n.config.Options, Capabilities: json.RawMessage(capabilities),
	}, &result)
	if err != nil {
		return err
	}
	a := result.Capabilities
	switch a.Encoding {
	case utf8Units, utf16Units, utf32Units:
	case "":
		a.Encoding = utf16Units
	default:
		return fmt.Errorf("%w: it counts characters in %q, which was not offered", errFraming, shorten(string(a.Encoding), 40))
	}
	var sync struct {
		Save offer `json:"save"`
	}
	if json.Unmarshal(a.Sync, &sync) == nil { // it may be a number, which asks for no saves
		a.saves = bool(sync.Save)
	}
	n.abilities = a
	if err := n.notify("initialized", struct{}{}); err != nil {
		return errors.Join(errEnded, err)
	}
	return nil
}
