// test-schedule: quick
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { features } from '../../src/features.js'

describe('docs/understand/features.md', () => {
  let guide: string
  before(async () => {
    guide = await readFile('docs/understand/features.md', 'utf8')
  })

  it('draws all features with what they need', () => {
    const drawn = [...guide.matchAll(/^ {2}([\w-]+) --> (.*)$/gm)].map(([, name, to = '']) => [
      name,
      to.split(' & '),
    ])

    expect(drawn).to.deep.equal(features.map(({ name, needs }) => [name, ['core', ...needs]]))
  })

  it('has a row for each hook, with its type', async () => {
    const hooks = [
      ...(await membersOf('src/feature.ts', 'Feature')),
      ...(await membersOf('src/http/open-feature.ts', 'FeatureRoutes')),
      ...(await membersOf('src/service/operations/feature-hooks.ts', 'OperationHooks', 'OpenFeature')),
      ...(await membersOf('src/service/rules/record-hooks.ts', 'RecordHooks', 'Feature')),
      ...(await membersOf('src/http/open-feature.ts', 'OpenFeature')),
    ]
    const rows = [...guide.matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)].map(([, hook, type]) => `${type}.${hook}`)

    expect(rows).to.have.members(hooks)
  })

  it('is about a list in which each feature stands after those that it needs', () => {
    const names = features.map(({ name }) => name)
    const early = features.filter(({ name, needs }) =>
      needs.some(each => names.indexOf(each) > names.indexOf(name)),
    )

    expect(early).to.deep.equal([])
  })
})

/** The members of an interface. @param shown name of the type that the guide shows */
async function membersOf(file: string, type: string, shown = type): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8')
  const [, body = ''] = new RegExp(`^export interface ${type}\\b[^{]*\\{\n(.*?)^\\}`, 'ms').exec(text) ?? []
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, name]) => `${shown}.${name}`)
}
