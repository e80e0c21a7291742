import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Store } from 'n3'
import SHACLValidator from 'rdf-validate-shacl'
import { readTurtle } from './read-rdf.js'
import { standard } from './standards.js'

const folder = standard('dcat-ap-3.0.0')

/** Whether the shapes for validation exist. */
export const hasShapes = folder !== undefined

let validator: SHACLValidator | undefined

/** Validates a Turtle text with the shapes of DCAT-AP 3. @returns faults; empty if the shapes are missing */
export async function faultsByShapes(turtle: string): Promise<readonly string[]> {
  if (folder === undefined) return []
  validator ??= new SHACLValidator(shapesIn(folder) as never, { importGraph: () => new Store() as never })
  const { results } = await validator.validate(new Store(readTurtle(turtle)) as never)
  return results.map(({ path, focusNode, message, severity }) =>
    [severity?.value, focusNode?.value, path?.toString(), message.map(({ value }) => value)].join(' '),
  )
}

function shapesIn(path: string): Store {
  const shapes = new Store()
  for (const name of ['shapes.ttl', 'range.ttl'])
    for (const quad of readTurtle(readFileSync(join(path, name), 'utf8'))) shapes.addQuad(quad)
  return shapes
}
