import type { PlacedCrosswalk } from '../crosswalk/apply-crosswalk.js'
import type { Crosswalk } from '../crosswalk/crosswalk-rules.js'
import type { DocumentTree } from '../crosswalk/described-tree.js'
import { readCrosswalk } from '../crosswalk/read-crosswalk.js'
import type { TreeNode } from '../crosswalk/tree-node.js'
import { factsOf, type KnownSchema, nodeAt } from './document-facts.js'
import { dim } from './libraries/dim-crosswalk.js'
import { dublinCoreSchemas } from './libraries/dublin-core-crosswalk.js'
import { eadSchemas } from './libraries/ead-crosswalk.js'
import { jatsSchemas } from './libraries/jats-crosswalk.js'
import { lidoSchemas } from './libraries/lido-crosswalk.js'
import { metsSchemas } from './libraries/mets-crosswalk.js'
import { modsSchemas } from './libraries/mods-crosswalk.js'
import { teiSchemas } from './libraries/tei-crosswalk.js'
import { NodeWithNames } from './node-with-names.js'
import { plainFactsOf, plainMembers } from './plain-members.js'
import { dataCiteSchemas } from './sciences/datacite-crosswalk.js'
import { ddiSchemas } from './sciences/ddi-crosswalk.js'
import { emlSchemas } from './sciences/eml-crosswalk.js'
import { isoSchemas } from './sciences/iso-crosswalk.js'
import { stac } from './sciences/stac-crosswalk.js'
import { citationFile } from './web/citation-file-crosswalk.js'
import { dataPackage } from './web/data-package-crosswalk.js'
import { dcatSchema } from './web/dcat-crosswalk.js'
import { schemaOrgSchemas } from './web/schema-org-crosswalk.js'

/** All known schemas. The first one that matches a document is taken. */
export const knownSchemas: readonly KnownSchema[] = [
  ...dataCiteSchemas,
  ...dublinCoreSchemas,
  dim,
  ...modsSchemas,
  ...metsSchemas,
  ...eadSchemas,
  ...lidoSchemas,
  ...jatsSchemas,
  ...teiSchemas,
  ...emlSchemas,
  ...isoSchemas,
  ...ddiSchemas,
  ...schemaOrgSchemas,
  dcatSchema,
  citationFile,
  dataPackage,
  stac,
]

/** The crosswalks of known schemas that were needed so far. */
const read = new Map<KnownSchema | string, Crosswalk>()

function readOnce(key: KnownSchema | string, json: () => unknown): Crosswalk {
  const known = read.get(key)
  if (known) return known
  const { crosswalk } = readCrosswalk(json())
  // Members and root elements are named by users: only some of them are kept.
  if (read.size > 500) read.clear()
  read.set(key, crosswalk)
  return crosswalk
}

/** The known schema that a document follows; undefined if none matches. */
export function knownSchemaOf(tree: DocumentTree): KnownSchema | undefined {
  const facts = factsOf(tree)
  return knownSchemas.find(schema => schema.matches(facts))
}

/** The node at which the paths of the crosswalk begin. */
function placeOf({ place, writtenAs }: KnownSchema, entity: TreeNode): TreeNode {
  const node = place === undefined ? entity : nodeAt(entity, place)
  return writtenAs ? new NodeWithNames(node, writtenAs) : node
}

/**
 * The crosswalk of the known schema that a document follows, or else the one for plain members.
 * @param ofSchema the known schema that documents of its schema follow
 */
export function knownCrosswalk(tree: DocumentTree, ofSchema: KnownSchema | undefined): PlacedCrosswalk {
  const { root, entity = root } = tree
  const known = knownSchemaOf(tree) ?? ofSchema
  if (known)
    return {
      root: placeOf(known, entity),
      crosswalk: readOnce(known, () => known.crosswalk),
      // Documents of DataCite come out as they are.
      keepsMarkup: dataCiteSchemas.includes(known),
    }
  const facts = plainFactsOf(tree)
  const crosswalk =
    facts.noNames.length > 0
      ? readCrosswalk(plainMembers(facts)).crosswalk
      : readOnce(facts.at, () => plainMembers(facts))
  return { root, crosswalk }
}
