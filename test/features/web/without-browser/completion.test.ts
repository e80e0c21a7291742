// test-schedule: quick
import { type Completion, CompletionContext, type CompletionSource } from '@codemirror/autocomplete'
import { json } from '@codemirror/lang-json'
import { xml } from '@codemirror/lang-xml'
import { EditorState } from '@codemirror/state'
import { expect } from 'chai'
import type { SchemaOutline } from '../../../../src/features/web/browser/api/interface-types.js'
import { parsedToCaret } from '../../../../src/features/web/browser/editor/completion.js'
import { jsonCompletion } from '../../../../src/features/web/browser/editor/json-completion.js'
import { xmlCompletion } from '../../../../src/features/web/browser/editor/xml-completion.js'
import { FormSchema } from '../../../../src/features/web/browser/form/form-schema.js'
import { waitUntil } from '../../../support/repository/test-repository.js'

/** What completes a text at its mark `|`. @param isAsked false: while one types */
async function completionsOf(source: CompletionSource, marked: string, isAsked = true) {
  const at = marked.indexOf('|')
  const doc = marked.replace('|', '')
  const isXml = marked.trimStart().startsWith('<')
  const state = EditorState.create({ doc, extensions: [isXml ? xml({ autoCloseTags: false }) : json()] })
  const result = await source(parsedToCaret(new CompletionContext(state, at, isAsked)))
  const options: readonly Completion[] = result?.options ?? []
  function accepted(label: string): string {
    const option = options.find(one => one.label === label)
    if (!result || !option) throw new Error(`There is no completion ${label}.`)
    const inserted = typeof option.apply === 'string' ? option.apply : label
    return doc.slice(0, result.from) + inserted + doc.slice(result.to ?? at)
  }
  return { labels: options.map(({ label }) => label).join(' '), options, accepted }
}

describe('The completion of JSON', () => {
  const schema = new FormSchema({
    type: 'object',
    required: ['kind'],
    properties: {
      name: { type: 'string', title: 'Name', description: 'How <b>people</b> call it.' },
      kind: { enum: ['rod', 'plate', 3] },
      isBroken: { type: 'boolean' },
      size: { $ref: '#/$defs/size' },
      owners: { type: 'array', items: { properties: { role: { const: 'owner' } } } },
    },
    $defs: {
      size: { type: 'object', properties: { unit: { enum: ['mm', 'm'] }, value: { type: 'number' } } },
    },
    if: { properties: { kind: { const: 'rod' } }, required: ['kind'] },
    // biome-ignore lint/suspicious/noThenProperty: The keyword of JSON Schema.
    then: { properties: { length: { type: 'number' } } },
  })
  const completions = (marked: string, isAsked?: boolean) =>
    completionsOf(jsonCompletion(schema), marked, isAsked)

  it('has the names of the members that an object does not have yet', async () => {
    const { labels, options } = await completions('{ "name": "Rod", | }')

    expect(labels).to.equal('"kind" "isBroken" "size" "owners"')
    expect(options[0]).to.include({ detail: 'required', boost: 1 })
  })

  it('tells about a name with the texts of the schema, as text', async () => {
    const { options } = await completions('{ | }')

    expect(options[0]).to.deep.include({ detail: 'text', info: 'Name\n\nHow <b>people</b> call it.' })
  })

  it('completes the rest of a name that is written, with its quotes', async () => {
    const open = await completions('{\n  "ki|\n  "name": "x"\n}')
    expect(open.accepted('"kind"')).to.equal('{\n  "kind": \n  "name": "x"\n}')
    const closed = await completions('{ "ki|": "rod" }')
    expect(closed.accepted('"kind"')).to.equal('{ "kind": "rod" }')
    const bare = await completions('{ na| }')
    expect(bare.accepted('"name"')).to.equal('{ "name":  }')
  })

  it('has the values of an enumeration, a constant and a boolean', async () => {
    expect((await completions('{ "kind": | }')).labels).to.equal('"rod" "plate" 3')
    expect((await completions('{ "kind": "r|" }')).accepted('"rod"')).to.equal('{ "kind": "rod" }')
    expect((await completions('{ "isBroken": t| }')).labels).to.equal('true false')
    expect((await completions('{ "owners": [{}, { "role": | }] }')).labels).to.equal('"owner"')
  })

  it('follows references, lists, and conditions that hold for what is written', async () => {
    expect((await completions('{ "size": { "unit": "|" } }')).labels).to.equal('"mm" "m"')
    expect((await completions('{ "owners": [{ | }] }')).labels).to.equal('"role"')
    expect((await completions('{ "kind": "rod", | }')).labels).to.contain('"length"')
    expect((await completions('{ "kind": "plate", | }')).labels).not.to.contain('"length"')
  })

  it('does not come while one types where nothing is begun, and has nothing where the schema says nothing', async () => {
    expect((await completions('{ | }', false)).labels).to.equal('')
    expect((await completions('{ "|', false)).labels).to.contain('"kind"')
    expect((await completions('{ "kind": |', false)).labels).to.contain('"rod"')
    expect((await completions('{ "unknown": { "|" } }')).labels).to.equal('')
    expect((await completions(`${'['.repeat(10_000)}|`)).labels).to.equal('')
  })
})

describe('The completion of XML', () => {
  const outline: SchemaOutline = {
    type: 'XML',
    namespace: 'urn:p',
    complete: true,
    roots: [{ kind: 'element', name: 'parcel', namespace: 'urn:p', min: 1, max: 1, type: 'parcel' }],
    types: {
      parcel: {
        members: [
          {
            kind: 'element',
            name: 'weight',
            namespace: 'urn:p',
            min: 1,
            type: 'weight',
            documentation: 'As <i>sent</i>.',
          },
          { kind: 'element', name: 'content', namespace: 'urn:p', min: 0, type: 'content' },
          { kind: 'attribute', name: 'isUrgent', min: 0, type: 'bool' },
        ],
      },
      weight: { text: 'amount', members: [{ kind: 'attribute', name: 'unit', min: 1, type: 'unit' }] },
      // The same name has another content here.
      content: { members: [{ kind: 'element', name: 'weight', namespace: 'urn:p', min: 1, type: 'state' }] },
      state: { values: [{ value: 'full' }, { value: 'empty' }] },
      unit: { alternatives: ['metric', 'other'] },
      metric: { values: [{ value: 'g' }, { value: 'kg' }] },
      other: { values: [{ value: 'lb' }] },
      amount: { kinds: ['decimal'] },
      bool: { kinds: ['boolean'] },
    },
  }
  const completions = (marked: string) => completionsOf(xmlCompletion(outline), marked)

  it('has the elements that may begin a document, and its namespace', async () => {
    expect((await completions('<|')).labels).to.equal('parcel')
    expect((await completions('<parcel | ></parcel>')).labels).to.equal('xmlns isUrgent')
    expect((await completions('<parcel xmlns=|></parcel>')).labels).to.equal('"urn:p"')
  })

  it('has them after a long text, of which the editor has parsed only the beginning', async () => {
    const weights = '<weight unit="kg">1</weight>'.repeat(150)
    const text = `<parcel xmlns="urn:p">${weights}<content><|</content></parcel>`
    // A machine with other work may not leave a try the time to parse.
    await waitUntil('the completion', async () => (await completions(text)).labels === 'weight')
  })

  it('has the elements that the element around may contain, with the prefix of the text', async () => {
    const own = await completions('<parcel xmlns="urn:p"><w|</parcel>')
    expect(own.labels).to.equal('weight content')
    expect(own.options[0]).to.deep.include({ detail: 'required', info: 'As <i>sent</i>.' })
    const prefixed = await completions('<q:parcel xmlns:q="urn:p"><q:c|</q:parcel>')
    expect(prefixed.labels).to.equal('q:weight q:content')
  })

  it('has attributes with their values, and the values of elements', async () => {
    const head = '<parcel xmlns="urn:p">'
    expect((await completions(`${head}<weight | ></weight></parcel>`)).labels).to.equal('unit')
    const value = await completions(`${head}<weight unit="|"></weight></parcel>`)
    expect(value.labels).to.equal('"g" "kg" "lb"')
    expect(value.accepted('"kg"')).to.equal(`${head}<weight unit="kg"></weight></parcel>`)
    expect((await completions('<parcel isUrgent=|></parcel>')).labels).to.equal('"true" "false"')
  })

  it('knows the type of an element by the elements around it', async () => {
    const inner = await completions('<parcel xmlns="urn:p"><content><weight>|</weight></content></parcel>')
    expect(inner.labels).to.equal('full empty')
    const outer = await completions('<parcel xmlns="urn:p"><weight>|</weight></parcel>')
    expect(outer.labels).to.equal('')
  })

  it('has nothing in elements that the schema does not name', async () => {
    expect((await completions('<parcel xmlns="urn:p"><other><|</other></parcel>')).labels).to.equal('')
    expect((await completions('<parcel xmlns="urn:else"><|</parcel>')).labels).to.equal('')
  })
})
