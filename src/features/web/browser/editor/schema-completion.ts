import type { CompletionSource } from '@codemirror/autocomplete'
import { readJsonSchema, readOutline } from '../api/records.js'

/** Opens completion from a version of a schema. Each language is a script of its own. @throws Refusal */
export async function openCompletion(
  language: 'JSON' | 'XML',
  { id, version }: { readonly id: string; readonly version: number },
): Promise<CompletionSource> {
  if (language === 'XML') {
    const { xmlCompletion } = await import('./xml-completion.js')
    return xmlCompletion(await readOutline(id, version))
  }
  const [{ jsonCompletion }, { FormSchema }] = await Promise.all([
    import('./json-completion.js'),
    import('../form/form-schema.js'),
  ])
  return jsonCompletion(new FormSchema(JSON.parse(await readJsonSchema(id, version))))
}
