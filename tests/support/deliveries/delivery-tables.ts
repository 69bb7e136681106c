/** The tables of deliveries as one, for tests that go through many of them. */

export * from '../../../src/tables/deliveries/log/delivery-page.ts'
export * from '../../../src/tables/deliveries/outbox.ts'
export * from '../../../src/tables/deliveries/renew-delivery.ts'
export * from '../../../src/tables/deliveries/resend-delivery.ts'
export * from '../../../src/tables/deliveries/results.ts'
export * from '../../../src/tables/deliveries/retention.ts'
export * from '../../../src/tables/deliveries/settle-deliveries.ts'
export * from '../../../src/tables/deliveries/shards.ts'
