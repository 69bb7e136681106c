import { applyEnvironment } from '../../src/config/config-environment.ts'
import { CONFIG_SCHEMA } from '../../src/config/config-schema.ts'
import { checkSchema } from '../../src/core/schema/check-schema.ts'

/** The mistakes in a configuration and the variables over it; what is around it is not asked. */
export function optionFaults(
  file: Record<string, unknown>,
  environment: Readonly<Record<string, string>>,
): string[] {
  const { value, faults } = applyEnvironment(CONFIG_SCHEMA, file, environment)
  return [...faults, ...checkSchema(CONFIG_SCHEMA, value)].map(({ message }) => message)
}
