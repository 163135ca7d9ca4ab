package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// draftOf returns the draft of doc.
func draftOf(doc map[string]any) *jsonschema.Draft {
	url, _ := doc["$schema"].(string)
	name := strings.TrimPrefix(strings.TrimPrefix(withoutFragment(url), "http://"), "https://")
	older := []*jsonschema.Draft{jsonschema.Draft4, jsonschema.Draft6, jsonschema.Draft7, jsonschema.Draft2019}
	i := slices.IndexFunc(older, func(d *jsonschema.Draft) bool {
		return strings.TrimPrefix(d.URL(), "https://") == name
	})
	if i < 0 {
		return jsonschema.Draft2020
	}
	return older[i]
}

// metaOf returns the meta-schema of doc's draft.
func metaOf(doc map[string]any) (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile(draftOf(doc).URL()) // built in, so nothing is loaded
}

// refuseInvalid explains the faults that the meta-schema found in doc.
func refuseInvalid(doc map[string]any, invalid *jsonschema.ValidationError) error {
	meta, err := metaOf(doc)
	if err != nil {
		return &RefusalError{Reason: NotSchema, Err: err}
	}
	return &RefusalError{Reason: NotSchema, Err: newInvalid(explain(meta, doc, invalid))}
}

// checkOldItems checks additionalItems in documents of draft 2020-12, which has no such
// keyword. The compiler reads it without a check, in random order, so that it would panic in
// some runs only.
func checkOldItems(doc map[string]any) error {
	if draftOf(doc) != jsonschema.Draft2020 {
		return nil
	}
	meta, err := metaOf(doc)
	if err != nil {
		return &RefusalError{Reason: NotSchema, Err: err}
	}
	return findOldItems(doc, func(part map[string]any) error {
		if err := meta.Validate(part); err != nil {
			return &RefusalError{Reason: NotSchema, Err: newInvalid(explain(meta, part, err))}
		}
		return nil
	})
}

func findOldItems(v any, check func(map[string]any) error) error {
	switch v := v.(type) {
	case map[string]any:
		if part, ok := v["additionalItems"].(map[string]any); ok {
			if err := check(part); err != nil {
				return err
			}
		}
		for _, value := range v {
			if err := findOldItems(value, check); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := findOldItems(item, check); err != nil {
				return err
			}
		}
	}
	return nil
}
