# Reprise: what to type. Every target runs on a machine with a Swift toolchain and little else.
.DEFAULT_GOAL := help
.PHONY: help demo inspect planner planner-test test quick check docs fuzz fuzz-merge format bench bench-compare budgets english screenshots soak

# make test ARGS="--filter ContextTests"
ARGS ?=
# A process for each test, as many at a time as there are cores; the output of those that fail. Chosen ones in one
# process, with all that they print.
TESTS = $(or $(ARGS),--parallel)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST) | expand -t 22

demo: ## builds and runs the demonstration, optimised
	@.ci/setup library
	@.ci/demo $(ARGS)

inspect: ## shows the demonstration's store in your browser, after the kill; ARGS="path/of/store --edit"
	@.ci/inspect $(ARGS)

planner: ## serves the example of a web application: kill it while you type; ARGS="--port 8080"
	@.ci/planner $(ARGS)

planner-test: ## tests that application in Chromium, with kills and deploys
	@.ci/plug-in-tests --filter PlannerTests

test: ## builds and runs all tests; ARGS="--filter SomeTests" runs some
	@.ci/setup
	swift build --build-tests
	.ci/naming-failures swift test --skip-build --disable-swift-testing $(TESTS)

quick: ## as test, without swift-syntax and the macro's own tests: starts within seconds
	@.ci/setup
	.ci/naming-failures .ci/swift-without-syntax test --disable-swift-testing $(TESTS)

check: export REPRISE_IMAGES ?= 500
check: export REPRISE_FUZZ_SECONDS ?= 60
check: export REPRISE_BLOB_MEGABYTES ?= 1024
check: test ## test, then format, documentation, misuses, a client package, Thread Sanitizer
	@.ci/check

docs: ## builds the manual and the reference into .build/docs, for a static server; ARGS="folder/of/server"
	@.ci/setup library
	@.ci/docs $(ARGS)

fuzz: ## feeds readers of others' bytes with made-up ones, a minute each; ARGS="600 frames"
	@.ci/setup library
	@.ci/fuzz $(ARGS)

fuzz-merge: ## keeps in Tests/Fuzz/Corpus what takes all the ways that make fuzz found
	@.ci/setup library
	@.ci/fuzz merge $(ARGS)

soak: export REPRISE_IMAGES ?= 100000
soak: export REPRISE_KILLS ?= 10000
soak: export REPRISE_CHANGES ?= 150000
soak: export REPRISE_SCHEDULES ?= 100000
soak: export REPRISE_FAILOVERS ?= 100
soak: ## a million changes below lists, 10,000 kills, 100,000 images of power cuts, 900 outages of PostgreSQL, for hours
	@.ci/setup
	.ci/swift-without-syntax test -c release -Xswiftc -enable-testing --disable-swift-testing \
	  --filter 'ListModelTests|FetchedListRandomTests|ListChangesRandomTests|CompoundIndexListTests|SearchListTests|CollatedListTests|LocaleRandomTests'
	.ci/swift-without-syntax test --disable-swift-testing --filter 'StormTests|PowerCutTests|AfterImageCutTests|SharedLogSimulationTests'
	.ci/plug-in-tests --filter 'PostgreSQLFailoverTests|PostgreSQLProcessTests'

bench: ## measures restores, queries, lists and more against GRDB and bare LMDB; ARGS="--quick --format json"
	@.ci/bench run $(ARGS)

bench-compare: ## a quick run held against Benchmarks/baseline.json, by ratios
	@.ci/bench compare $(ARGS)

budgets: ## counts instructions, page faults, system calls and writes, against Benchmarks/budgets.json; ARGS="--lower"
	@.ci/bench budgets $(ARGS)

english: export REPRISE_ENGLISH ?= lower
english: ## lowers the budgets of plain English (Docs/Writing.md) to the counts of today
	@.ci/setup
	@.ci/swift-without-syntax test --disable-swift-testing --filter PlainEnglishTests.testMarks

screenshots: ## takes the manual's pictures of the inspector again, in Chromium
	@.ci/screenshots

format: ## formats the sources in place
	swift format --in-place --recursive --parallel Package.swift Sources Tests Docs/Examples \
	  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests
