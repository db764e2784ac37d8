#if Macros
import RepriseCore

/// The social media accounts of a legislator's office. `key` is the legislator's Bioguide number.
@Model final class SocialAccount {
  var key: String
  var legislatorKey: String = ""
  var twitter: String?
  var twitterNumber: Int?
  var facebook: String?
  var facebookGraph: String?
  var facebookNumber: String?
  var youtube: String?
  var youtubeChannel: String?
  var instagram: String?
  var instagramNumber: Int?
  var mastodon: String?

  @Relationship(inverse: \Legislator.socialAccount) var legislator: Legislator?

  init(key: String) { self.key = key }
}

extension SocialAccount: HistoryModel {
  static func describe(_ attributes: inout AttributeTable<SocialAccount>) {
    attributes.add("legislator", \.legislatorKey)
    attributes.add("twitter", \.twitter)
    attributes.add("twitter_id", \.twitterNumber)
    attributes.add("facebook", \.facebook)
    attributes.add("facebook_graph", \.facebookGraph)
    attributes.add("facebook_id", \.facebookNumber)
    attributes.add("youtube", \.youtube)
    attributes.add("youtube_id", \.youtubeChannel)
    attributes.add("instagram", \.instagram)
    attributes.add("instagram_id", \.instagramNumber)
    attributes.add("mastodon", \.mastodon)
  }
}
#endif
