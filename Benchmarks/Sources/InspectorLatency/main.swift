import LatencyRunner

InspectorCommand.main()
