package mcpjson

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func (e *entry) readOAuth(v any) {
	values, ok := v.(map[string]any)
	if !ok {
		e.skip("oauth", `the value is not an object; write {"clientId": "ID", "callbackPort": 8080}`)
		return
	}
	known := []string{"clientId", "clientSecret", "clientMetadataUrl", "callbackPort", "scopes"}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, key) {
			e.hint(strictjson.AppendKey("oauth", key), unknownKey(key, known))
		}
	}
	o := &OAuth{}
	for i, field := range []*string{&o.ClientID, &o.ClientSecret, &o.ClientMetadataURL} {
		path := "oauth." + known[i]
		*field = e.expanded(path, e.textAt(path, values[known[i]]))
	}
	if u, err := url.Parse(o.ClientMetadataURL); o.ClientMetadataURL != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "") {
		e.skip("oauth.clientMetadataUrl", "the value is not an https address with a path; write https://HOST/client.json")
	}
	if o.ClientSecret != "" && o.ClientID == "" {
		e.skip("oauth", "a clientSecret needs the clientId that it belongs to")
	}
	if port, given := values["callbackPort"]; given && port != nil {
		n, ok := whole(port)
		if !ok || n < 1 || n > math.MaxUint16 {
			e.skip("oauth.callbackPort", "the value is not a port; write a number from 1 to 65535")
		}
		o.CallbackPort = int(n)
	}
	if text, ok := values["scopes"].(string); ok {
		o.Scopes = strings.Fields(text)
	} else {
		o.Scopes = e.listAt("oauth.scopes", values["scopes"])
	}
	e.OAuth = o
}
