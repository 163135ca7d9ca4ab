package gemini

// Config holds the choices of a host for a [Codec]. The zero Config is a good one for Gemini
// 3.
type Config struct {
	// JSONSchema sends schemas as "parametersJsonSchema" where that can express them, and
	// as "parameters" otherwise. By default it is the other way round. The API documents
	// fewer of the members that it heeds in "parametersJsonSchema", but a schema arrives
	// there almost as it is.
	JSONSchema bool
	// MediaBeside puts the images and documents of results beside the results, as parts of
	// their own after the last result, for models before Gemini 3. Those refuse them
	// inside results, where they are by default and where Gemini 3 wants them.
	MediaBeside bool
	// OutputSchemas declares the schema of a tool's output as "responseJsonSchema", if the model
	// reads the output itself: see [pegboard.Declaration].OutputShown. The schema is that of
	// the JSON in the text of a result. It costs tokens in every request. A schema that the
	// API cannot express is left out.
	OutputSchemas bool
	// Suspended says that the calls of the model's last message wait for a Resume, see
	// [pegboard.Session.Suspension]: Normalize adds no results for them. The API refuses a
	// request before they are answered.
	Suspended bool
}
