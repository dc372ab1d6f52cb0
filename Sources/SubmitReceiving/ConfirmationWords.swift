/// Words that two screens show, to be compared by someone who sees both. 256 of them: each is eight bits.
enum ConfirmationWords {
    static let count = 4

    static func random() -> [String] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in all.randomElement(using: &generator)! }
    }

    // Short, plain, and no two that sound alike.
    static let all = """
        acorn actor album alarm amber angel ankle apple april apron arrow atlas aunt autumn badge baker banjo barn basil beach
        beard beaver berry bike birch bishop blanket blossom boat bonus bottle bread brick bridge bronze bucket butter button cabin cactus
        camel candle canoe carpet castle cedar cello cherry chess chin circus citrus clock clover cobra cocoa comet copper coral cotton
        cousin coyote cradle cricket crown crystal cup daisy dancer denim desert diamond dinner dolphin donkey dragon drum duck eagle
        earth echo elbow elephant ember engine falcon farmer feather fence fiddle finger flag flute forest fossil fountain fox frog
        garden garlic ghost ginger giraffe glacier glove goat gold grape guitar hammer harbor harvest hazel hero hill honey horse
        hotel ice igloo indigo iris island ivory jacket jaguar jelly jewel jungle kettle kitten kiwi koala ladder lagoon lamp lantern
        lemon lily lion lizard lobster lotus magnet mango maple marble market meadow melon meteor mint mirror monkey moon moss
        mountain museum mustard napkin nectar needle nephew nickel north nutmeg oak oasis ocean olive onion opera orange orbit orchid
        otter oven owl oyster paddle palace panda paper parrot peach peanut pebble pepper piano pigeon pilot pine planet plum pocket
        poem polar pony potato prairie pumpkin puppet purple quartz queen rabbit radio raven ribbon river robin rocket rose saddle
        salmon sandal scarf school shadow shell silver sister sketch snow sofa spider spoon spring square squirrel star
        stone storm sugar summit sunset swan table tango teapot temple tiger timber toast tomato tower train trumpet tulip
        turtle umbrella valley velvet violin walnut zebra
        """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
