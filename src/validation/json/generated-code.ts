import type { Ajv, CodeKeywordDefinition } from 'ajv'
import ajvContains from 'ajv/dist/vocabularies/applicator/contains.js'
import { maxCounted } from '../findings.js'

/*
 * Corrections of the code that ajv generates for a schema.
 */

/** Matches a string, the head of a loop over members or items, or a new list of the evaluated members. */
// regexp-time: linear, as every string of the code ends, and every loop has a body.
const corrected =
  /"[^"\\]*(?:\\.[^"\\]*)*"|for\((?:let|const) (\w+)[^{"]*\{|\b(props\d+ = (?:props\d+ \|\| )?)\{\}/g

/**
 * Ends each loop after many errors of its own. ajv collects all errors: a million of them need more memory than a worker
 * has, and ajv copies those that it has so far after each call of a subschema, which takes quadratic time.
 *
 * Makes the lists of evaluated members without a prototype, from which they would have `toString`.
 */
export function correctCode(code: string): string {
  return code.replace(corrected, (found, variable: string | undefined, assignment: string | undefined) => {
    if (assignment !== undefined) return `${assignment}Object.create(null)`
    if (variable === undefined) return found
    const before = `errorsBefore_${variable}`
    return `const ${before} = errors;${found}if(errors - ${before} > ${maxCounted})break;`
  })
}

const { code: codeOfContains, ...contains } = ajvContains.default as CodeKeywordDefinition

/** Replaces `contains`, so that it forgets the errors of an item before the next one: other items may be valid. */
export function useFrugalContains(ajv: Ajv): void {
  if (!ajv.getKeyword('contains')) return
  ajv.removeKeyword('contains').addKeyword({
    ...contains,
    code(cxt) {
      const apply = cxt.subschema.bind(cxt)
      cxt.subschema = (subschema, valid) => {
        const result = apply(subschema, valid)
        cxt.reset()
        return result
      }
      codeOfContains(cxt)
    },
  })
}
