/** A parsed JSON text. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

/** The value of a JSON text; undefined if it is not JSON. @param parse throws SyntaxError for a text that is not JSON */
export function tryParseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
