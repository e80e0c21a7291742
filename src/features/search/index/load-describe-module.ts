import type { DescribeInThread } from '../../../core/records/document-description.js'

/** Loads the module that describes documents. @param address undefined: there is none */
export async function loadDescribeModule(address: string | undefined): Promise<DescribeInThread | undefined> {
  if (address === undefined) return undefined
  const module = (await import(address)) as { readonly describe: DescribeInThread }
  return module.describe
}
