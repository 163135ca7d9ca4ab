package eino

// SchemaOf is the schema of a definition as eino has it.
var SchemaOf = schemaOf
